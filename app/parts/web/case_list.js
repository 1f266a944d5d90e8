// The list of cases: each row is a button; the open one is marked and kept in sight.

const entry = (row, open) => {
  const line = make("li");
  const button = make("button", "", row.text);
  button.type = "button";
  button.dataset.case = row.id;
  button.append(make("small", "", row.meta));
  button.addEventListener("click", () => open(row.id));
  line.append(button);
  return line;
};

// Scrolls the list and never the page: what is above the list stays in view.
const keepInSight = (list, button) => {
  const [frame, row] = [list.getBoundingClientRect(), button.getBoundingClientRect()];
  if (row.top < frame.top) list.scrollTop -= frame.top - row.top;
  else if (row.bottom > frame.bottom) list.scrollTop += row.bottom - frame.bottom;
};

export default function ({ data, parentElement, setTriggerValue }) {
  let list = parentElement.querySelector(".jk-cases");
  if (!list) {
    list = make("ul");
    list.className = "jk-cases";
    parentElement.append(list);
  }
  list.setAttribute("aria-label", data.label);
  const drawn = JSON.stringify(data.rows);
  if (list.drawn !== drawn) {
    list.drawn = drawn;
    list.open = setTriggerValue;
    list.replaceChildren(...data.rows.map((row) =>
      entry(row, (id) => list.open("open", id))));
  }
  list.open = setTriggerValue;
  for (const button of list.querySelectorAll("button")) {
    const here = button.dataset.case === data.current;
    button.setAttribute("aria-current", here ? "true" : "false");
    if (here && data.current !== list.shown) keepInSight(list, button);
  }
  list.shown = data.current;
}
