// The item, as text nodes and <mark> only: whatever the text says, it is never markup.
// Offsets leave and enter here as code points; inside, JavaScript counts UTF-16 units.

const toPoints = (text, units) => Array.from(text.slice(0, units)).length;

const toUnits = (text, points) => {
  let units = 0;
  for (const char of text) {
    if (points-- <= 0) break;
    units += char.length;
  }
  return units;
};

// Cut the text at every start and end, so that overlapping marks of A and B both show.
const pieces = (length, spans) => {
  const cuts = new Set([0, length]);
  for (const span of spans) { cuts.add(span.from); cuts.add(span.to); }
  const sorted = [...cuts].filter((cut) => cut >= 0 && cut <= length).sort((a, b) => a - b);
  return sorted.slice(1).map((to, i) => ({
    from: sorted[i], to, over: spans.filter((span) => span.from <= sorted[i] && span.to >= to),
  }));
};

const markClass = (over) => {
  const kinds = new Set(over.map((span) => span.mark));
  if (kinds.has("a") && kinds.has("b")) return "jk-both";
  return kinds.has("b") ? "jk-b" : "jk-a";
};

const paint = (box, text, spans) => {
  box.replaceChildren();
  for (const piece of pieces(text.length, spans)) {
    const words = text.slice(piece.from, piece.to);
    if (!piece.over.length) { box.append(document.createTextNode(words)); continue; }
    const mark = make("mark", markClass(piece.over), words);
    for (const span of piece.over) {
      if (span.tag && span.from === piece.from) box.append(tag(span.tag));
    }
    box.append(mark);
  }
  if (!text.length) box.append(document.createTextNode(""));
};

const tag = (words) => {
  const node = make("span", "jk-tag", words);
  node.dataset.tag = "1";
  return node;
};

// Walk over the text nodes of a block, leaving out the tags that are ours.
const texts = (box) => {
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => node.parentElement.dataset.tag
      ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  });
  const found = [];
  while (walk.nextNode()) found.push(walk.currentNode);
  return found;
};

const unitsAt = (box, node, offset) => {
  const range = document.createRange();
  range.setStart(box, 0);
  range.setEnd(node, offset);
  let units = 0;
  for (const part of texts(box)) {
    if (!range.intersectsNode(part)) break;
    if (part === node) return units + offset;
    if (range.comparePoint(part, part.length) > 0) break;
    units += part.length;
  }
  return units;
};

const placeAt = (box, units) => {
  let left = units;
  const parts = texts(box);
  for (const part of parts) {
    if (left <= part.length) return [part, left];
    left -= part.length;
  }
  const last = parts[parts.length - 1];
  return last ? [last, last.length] : [box, 0];
};

const wordsOf = (text) => {
  if (typeof Intl !== "undefined" && Intl.Segmenter && text.length < 20000) {
    const cut = new Intl.Segmenter(undefined, { granularity: "word" });
    const found = [];
    for (const part of cut.segment(text)) {
      if (part.isWordLike) found.push([part.index, part.index + part.segment.length]);
    }
    if (found.length) return found;
  }
  return [...text.matchAll(/\S+/gu)].map((m) => [m.index, m.index + m[0].length]);
};

class ItemView {
  constructor(root) {
    this.root = root;
    this.blocks = new Map();
    this.cursor = null;
    this.selected = () => this.onMouse();
    this.keyed = (event) => this.onDocumentKey(event);
    document.addEventListener("mouseup", this.selected);
    document.addEventListener("keydown", this.keyed);
    this.isCut = () => { this.cut = true; };
    this.isBack = () => this.back();
    window.addEventListener("jk-cut", this.isCut);
    window.addEventListener("jk-back", this.isBack);
  }

  close() {
    this.leaveMarks();
    window.removeEventListener("jk-cut", this.isCut);
    window.removeEventListener("jk-back", this.isBack);
    document.removeEventListener("mouseup", this.selected);
    document.removeEventListener("keydown", this.keyed);
  }

  // What was marked without a connection never came: it is sent now. Whether it is still about
  // the item in hand is known once the server has answered.
  back() {
    this.cut = false;
    this.doubted = this.isUnsent();
    if (this.doubted) this.tell();
  }

  isUnsent() {
    return this.sentFor === this.token && this.sent > this.kept;
  }

  // Marks that the server does not have are told where another item takes their place.
  leaveMarks() {
    if (!(this.cut || this.doubted) || !this.isUnsent()) return;
    const quotes = [...this.blocks.values()].flatMap(
      (block) => block.spans.map((span) => block.text.slice(span.from, span.to)));
    if (quotes.length) unstored("evidence", quotes.join(" … "));
  }

  show(data, send) {
    this.send = send;
    this.locked = data.read_only;
    const sign = JSON.stringify([data.token, data.blocks]);
    if (sign !== this.sign) {
      this.leaveMarks();
      [this.sign, this.token, this.cut, this.doubted] = [sign, data.token, false, false];
      this.build(data);
    }
    if (data.serial >= this.sent) {
      this.kept = this.sent;
      this.doubted = false;
    }
    // The server repeats what we sent; older answers must not undo a newer mark.
    if (!this.isUnsent()) this.take(data.spans);
  }

  build(data) {
    this.blocks.clear();
    this.cursor = null;
    this.sent = this.kept = 0;
    const root = make("div", data.wide ? "jk-item jk-wide" : "jk-item");
    let pair = null;
    for (const block of data.blocks) {
      const holder = make("section", `jk-block jk-of-${block.kind}`);
      const box = this.block(block, holder);
      this.blocks.set(block.field, { text: block.text, box, spans: [], fixed: block.fixed });
      if (block.kind === "side") {
        if (!pair) { pair = make("div", "jk-pair"); root.append(pair); }
        pair.append(holder);
      } else { pair = null; root.append(holder); }
    }
    this.root.replaceChildren(root);
  }

  block(block, holder) {
    const box = make("div", "jk-text");
    box.dataset.field = block.field;
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", block.title);
    box.addEventListener("keydown", (event) => this.onKey(event, block.field));
    if (block.folded) {
      const fold = make("details");
      fold.append(make("summary", "", `${block.title} (${block.text.length} characters)`), box);
      holder.append(fold);
    } else {
      holder.append(make("h2", "jk-name", block.title), box);
    }
    return box;
  }

  take(spans) {
    for (const [field, block] of this.blocks) {
      block.spans = spans.filter((span) => span.field === field).map((span) => ({
        from: toUnits(block.text, span.start), to: toUnits(block.text, span.end),
        mark: span.mark, tag: span.tag,
      }));
      paint(block.box, block.text, block.spans);
    }
  }

  onMouse() {
    if (this.locked) return;
    const chosen = window.getSelection();
    if (!chosen.rangeCount || chosen.isCollapsed || this.cursor) return;
    const range = chosen.getRangeAt(0);
    for (const [field, block] of this.blocks) {
      if (block.fixed || !block.box.contains(range.startContainer)
          || !block.box.contains(range.endContainer)) continue;
      const from = unitsAt(block.box, range.startContainer, range.startOffset);
      const to = unitsAt(block.box, range.endContainer, range.endOffset);
      chosen.removeAllRanges();
      this.toggle(field, from, to);
    }
  }

  // A new mark joins those it touches; a mark chosen again is taken away.
  toggle(field, from, to) {
    const block = this.blocks.get(field);
    while (from < to && /\s/u.test(block.text[from])) from++;
    while (to > from && /\s/u.test(block.text[to - 1])) to--;
    if (from >= to) return;
    const inside = block.spans.find((span) => span.from <= from && span.to >= to);
    let kept = block.spans.filter((span) => span.to < from || span.from > to);
    if (inside) kept = block.spans.filter((span) => span !== inside);
    else {
      const met = block.spans.filter((span) => span.to >= from && span.from <= to);
      kept.push({
        from: Math.min(from, ...met.map((span) => span.from)),
        to: Math.max(to, ...met.map((span) => span.to)), mark: "a",
      });
    }
    block.spans = kept.sort((a, b) => a.from - b.from);
    paint(block.box, block.text, block.spans);
    this.tell();
  }

  tell() {
    const spans = [];
    for (const [field, block] of this.blocks) {
      for (const span of block.spans) {
        spans.push({
          field, start: toPoints(block.text, span.from), end: toPoints(block.text, span.to),
          quote: block.text.slice(span.from, span.to),
        });
      }
    }
    this.sentFor = this.token;
    this.sent = Date.now();
    if (!this.cut) this.send({ token: this.token, spans, serial: this.sent });
  }

  // -- by keyboard: `e` goes to the text, arrows move by word, Shift extends, Enter marks.
  onDocumentKey(event) {
    if (event.key !== "e" || event.ctrlKey || event.metaKey || event.altKey || this.locked) return;
    if (editable(document.activeElement)) return;
    event.preventDefault();
    const free = [...this.blocks].filter(([, block]) => !block.fixed);
    if (!free.length) return;
    const here = free.findIndex(([, block]) => block.box === document.activeElement);
    const start = here < 0 ? free.findIndex(([field]) => field.startsWith("output")) : here + 1;
    const [, block] = free[(start < 0 ? 0 : start) % free.length];
    const fold = block.box.closest("details");
    if (fold) fold.open = true;
    block.box.focus();
    this.begin(block);
  }

  begin(block) {
    const words = wordsOf(block.text);
    if (!words.length) return;
    this.cursor = { block, words, at: 0, anchor: 0 };
    this.light();
  }

  onKey(event, field) {
    const block = this.blocks.get(field);
    if (this.locked || block.fixed) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const line = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // What Escape would close besides stays open: one press leaves one thing.
    if (event.key === "Escape") { event.stopPropagation(); this.leave(block.box); return; }
    if (step || line) {
      event.preventDefault();
      if (!this.cursor || this.cursor.block !== block) { this.begin(block); return; }
      this.move(step ? this.cursor.at + step : this.lineFrom(line), event.shiftKey);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      event.preventDefault();
      const [low, high] = this.ends();
      window.getSelection().removeAllRanges();
      this.toggle(field, low, high);
      this.light();
    }
  }

  leave(box) {
    this.cursor = null;
    window.getSelection().removeAllRanges();
    box.blur();
  }

  move(to, extend) {
    const cursor = this.cursor;
    cursor.at = Math.max(0, Math.min(cursor.words.length - 1, to));
    if (!extend) cursor.anchor = cursor.at;
    this.light();
  }

  ends() {
    const { words, at, anchor } = this.cursor;
    return [words[Math.min(at, anchor)][0], words[Math.max(at, anchor)][1]];
  }

  light() {
    const { block } = this.cursor;
    const [from, to] = this.ends();
    window.getSelection().setBaseAndExtent(...placeAt(block.box, from), ...placeAt(block.box, to));
    const box = this.place(this.cursor.at);
    if (box.top < 0 || box.bottom > window.innerHeight) {
      placeAt(block.box, from)[0].parentElement.scrollIntoView({ block: "nearest" });
    }
  }

  place(index) {
    const { block, words } = this.cursor;
    const range = document.createRange();
    range.setStart(...placeAt(block.box, words[index][0]));
    range.setEnd(...placeAt(block.box, words[index][1]));
    return range.getBoundingClientRect();
  }

  lineFrom(way) {
    const here = this.place(this.cursor.at);
    let best = this.cursor.at;
    let top = null;
    for (let i = this.cursor.at + way; i >= 0 && i < this.cursor.words.length; i += way) {
      const box = this.place(i);
      if (top === null && Math.abs(box.top - here.top) < here.height / 2) continue;
      if (top === null) { top = box.top; best = i; }
      if (Math.abs(box.top - top) > here.height / 2) break;
      if (Math.abs(box.left - here.left) < Math.abs(this.place(best).left - here.left)) best = i;
    }
    return best;
  }
}

const views = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".jk-root");
  if (!root) { root = make("div", "jk-root"); parentElement.append(root); }
  let view = views.get(root);
  if (!view) { view = new ItemView(root); views.set(root, view); }
  view.show(data, (value) => setTriggerValue("marked", value));
  return () => { if (!root.isConnected) { view.close(); views.delete(root); } };
}
