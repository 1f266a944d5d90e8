// Two texts under each other; words that only one of them has are marked. Text nodes only.

export default function ({ data, parentElement }) {
  let box = parentElement.querySelector(".jk-diff");
  if (!box) {
    box = make("div", "jk-diff");
    parentElement.append(box);
  }
  box.replaceChildren(...data.sides.map((side, place) => {
    const line = make("p", place ? "jk-second" : "jk-first");
    line.append(make("strong", "", side.name + ": "));
    for (const piece of side.pieces) line.append(make(piece.only ? "mark" : "span", "", piece.text));
    return line;
  }));
}
