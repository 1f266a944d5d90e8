// A table of plain words: every cell is a text node; it scrolls sideways inside itself only.

const row = (into, words, headings) => {
  const line = into.insertRow();
  words.forEach((word, place) => {
    const cell = make(headings || !place ? "th" : "td", "", word);
    if (headings || !place) cell.scope = headings ? "col" : "row";
    line.append(cell);
  });
};

export default function ({ data, parentElement }) {
  const drawn = JSON.stringify(data);
  let frame = parentElement.querySelector(".jk-table");
  if (frame && frame.drawn === drawn) return;
  if (!frame) {
    frame = make("div");
    frame.className = "jk-table";
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    parentElement.append(frame);
  }
  frame.drawn = drawn;
  frame.setAttribute("aria-label", data.caption);
  const table = make("table");
  table.append(make("caption", "", data.caption));
  row(table.createTHead(), data.head, true);
  const body = table.createTBody();
  for (const words of data.rows) row(body, words, false);
  frame.replaceChildren(table);
}
