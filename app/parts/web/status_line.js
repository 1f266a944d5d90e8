// The line that says whether everything is kept. It also sees label keys before the buttons do:
// a key that cannot be taken now (held down, typed ahead, no connection) is stopped and told.

const WAIT_MS = 1000;
const GIVE_UP_MS = 5000;
const REDRAW_MS = 10000;
const DOWN = "Not connected: keys are not taken. Nothing saved is lost; go on when this line changes.";
const BACK = "Connected again: a moment, the page is fetched anew.";
const STALE = "Keys are not taken: the page could not be fetched anew. Reload it.";
const DOUBTFUL = "Connected again. The last key may not have been taken: look before you press it once more.";
const ELSEWHERE = "Connected again: this is another item.";
const ELSEWHERE_AND = "Connected again: this is another item, and ";

// Escape leaves the box that asks for another item without going there: what was typed is dropped.
const leaveBox = (box) => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(box, "");
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.blur();
};

class StatusLine {
  constructor(root) {
    this.line = root;
    this.down = false;
    this.stale = null;  // after a lost connection: what is told until the page was drawn anew
    this.cutOff = null;  // the key whose answer the lost connection took away
    this.refused = 0;
    this.keyed = (event) => this.onKey(event);
    this.unsaved = () => { if (this.connected() && !this.stale) this.say("Unsaved note", ""); };
    this.lostWords = () => this.sayUnstored();
    window.addEventListener("keydown", this.keyed, { capture: true });
    window.addEventListener("jk-unsaved", this.unsaved);
    window.addEventListener("jk-unstored", this.lostWords);
    this.app = document.querySelector('[data-testid="stApp"]');
    this.watch = new MutationObserver(() => this.connection());
    if (this.app) this.watch.observe(this.app, { attributes: true, attributeFilter: [CONNECTION] });
  }

  close() {
    window.removeEventListener("keydown", this.keyed, { capture: true });
    window.removeEventListener("jk-unsaved", this.unsaved);
    window.removeEventListener("jk-unstored", this.lostWords);
    this.watch.disconnect();
    this.answered();
    clearTimeout(this.redraw);
  }

  connected() {
    return connected(this.app);
  }

  connection() {
    if (!this.connected()) {
      if (!this.down) this.cutOff = this.waiting;
      this.down = true;
      this.answered();
      clearTimeout(this.redraw);
      this.say(DOWN, "warning");
    } else if (this.down) {
      this.down = false;
      this.stale = BACK;
      this.say(BACK, "");
      this.redraw = setTimeout(() => { this.stale = STALE; this.say(STALE, "warning"); }, REDRAW_MS);
    }
  }

  say(words, kind) {
    if (this.line.textContent !== words) this.line.textContent = words;
    this.line.dataset.kind = kind;
  }

  answered() {
    clearTimeout(this.slow);
    clearTimeout(this.lost);
    this.waiting = null;
  }

  show(data) {
    this.keys = new Set(data.keys);
    this.ahead = new Set(data.ahead);
    this.once = new Set(data.once);
    this.after = data.after;
    [this.boxName, this.boxKey] = data.box;
    [this.groupKey, this.groups] = data.group;
    if (data.serial === this.serial) return;
    this.serial = data.serial;
    if (this.text !== undefined && this.text !== data.text && !this.stale) window.jkUnstored = [];
    this.text = data.text;
    const other = this.token !== undefined && this.token !== data.token;
    if (other) this.begin();
    this.token = data.token;
    this.answered();
    const [words, kind] = this.stale ? this.afterRedraw(data, other) : [data.text, data.kind];
    const refused = this.refused;
    this.refused = 0;
    const more = refused ? ` · ${refused} ${refused === 1 ? "key" : "keys"} typed ahead: not taken.` : "";
    this.say(words + more, kind || (refused ? "warning" : ""));
    this.sayUnstored();
  }

  // It stands until the next key is taken, or the server says something new.
  sayUnstored() {
    const lost = window.jkUnstored || [];
    if (lost.length) this.say(ELSEWHERE_AND + lost.join("; "), "warning");
  }

  // The first drawing after the connection came back; a key that was cut off may show in it.
  afterRedraw(data, other) {
    clearTimeout(this.redraw);
    const cutOff = this.cutOff;
    this.stale = this.cutOff = null;
    if (!cutOff) return other ? [ELSEWHERE, "warning"] : [data.text, data.kind];
    return other ? [data.text, data.kind] : [DOUBTFUL, "warning"];
  }

  // Another item: from its beginning, and with the keys free again.
  begin() {
    if (this.inBox()) document.activeElement.blur();
    const main = document.querySelector('[data-testid="stMain"]');
    if (main) main.scrollTop = 0;
  }

  box() {
    return this.boxName ? document.querySelector(`.st-key-${this.boxName} input`) : null;
  }

  // Into the first of the groups of choices that a key leads to; pressed there, into the next.
  nextChoice() {
    const groups = this.groups ? [...document.querySelectorAll(this.groups)] : [];
    const at = groups.findIndex((group) => group.contains(document.activeElement));
    const next = groups[(at + 1) % (groups.length || 1)];
    return next && (next.querySelector('[aria-checked="true"]') || next.querySelector("button"));
  }

  inBox() {
    return !!document.activeElement && document.activeElement === this.box();
  }

  stop(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  refuse(event) {
    this.stop(event);
    this.refused += 1;
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && this.inBox()) { this.stop(event); leaveBox(this.box()); return; }
    if (editable(document.activeElement)) return;
    const box = event.key === this.boxKey && this.box();
    if (box) { this.stop(event); box.focus(); return; }
    const choice = event.key === this.groupKey && this.nextChoice();
    if (choice) { this.stop(event); choice.focus(); return; }
    if (event.repeat && this.once.has(event.key)) this.stop(event);
    else if (this.keys.has(event.key)) this.onOwnKey(event);
    else if (this.ahead.has(event.key) && (this.waiting || this.stale) && !event.repeat) this.refuse(event);
  }

  onOwnKey(event) {
    const follows = (this.after[this.waiting] || []).includes(event.key);
    if (!this.connected()) { this.stop(event); this.say(DOWN, "warning"); }
    else if (event.repeat) this.stop(event);
    else if (this.stale) {
      this.refuse(event);
      this.say(`${this.stale} The key ${event.key} was not taken.`, "warning");
    } else if (this.waiting && !follows) this.refuse(event);
    else this.await(event.key);
  }

  await(key) {
    this.answered();
    window.jkUnstored = [];
    this.waiting = key;
    this.slow = setTimeout(() => this.say("Not saved yet: waiting for the server", "warning"), WAIT_MS);
    this.lost = setTimeout(() => { this.waiting = null; }, GIVE_UP_MS);
  }
}

const lines = new WeakMap();

export default function (component) {
  const { data, parentElement } = component;
  let root = parentElement.querySelector(".jk-status");
  if (!root) {
    root = document.createElement("div");
    root.className = "jk-status";
    root.setAttribute("role", "status");
    root.id = "save-state";
    parentElement.append(root);
  }
  let line = lines.get(root);
  if (!line) { line = new StatusLine(root); lines.set(root, line); }
  line.show(data);
  return () => { if (!root.isConnected) { line.close(); lines.delete(root); } };
}
