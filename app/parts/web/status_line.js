// The line that says whether everything is kept. It also sees label keys before the buttons do:
// a key that cannot be taken now (held down, typed ahead, no connection) is stopped and told.

const WAIT_MS = 1000;
const GIVE_UP_MS = 5000;
const REDRAW_MS = 10000;
const LINE_PX = 40;
const PAGE = 0.85;
const DOWNWARDS = new Set(["PageDown", "ArrowDown", "End"]);
const SCROLLS = new Set([...DOWNWARDS, "PageUp", "ArrowUp", "Home"]);
const narrow = window.matchMedia("(max-width: 700px)");
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
    [this.opened, this.before] = ["", 0];
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
    Object.assign(this, { scrolls: data.scrolls, cancel: data.cancel, strange: data.strange, idle: data.idle });
    this.watchOpened(data.opened);
    if (data.serial === this.serial) return;
    this.serial = data.serial;
    if (this.text !== undefined && this.text !== data.text && !this.stale) window.jkUnstored = [];
    this.text = data.text;
    const other = this.token !== undefined && this.token !== data.token;
    if (other) this.begin();
    else if (this.asked) this.outOfBox();
    this.asked = false;
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
    this.outOfBox();
    this.before = 0;
    const main = document.querySelector('[data-testid="stMain"]');
    if (main) main.scrollTop = 0;
  }

  outOfBox() {
    if (this.inBox()) document.activeElement.blur();
  }

  // What was opened comes into view; closed again, a narrow window is where it was before.
  watchOpened(opened) {
    if (opened === this.opened) return;
    const main = document.querySelector('[data-testid="stMain"]');
    this.opened = opened;
    if (opened) {
      this.before = main ? main.scrollTop : 0;
      this.bringIn(60);
    } else if (main && narrow.matches) main.scrollTop = this.before;
  }

  // It may be drawn a little later than this line.
  bringIn(frames) {
    const panel = this.opened && document.querySelector(this.opened);
    if (panel) panel.scrollIntoView({ block: narrow.matches ? "start" : "nearest" });
    else if (this.opened && frames) requestAnimationFrame(() => this.bringIn(frames - 1));
  }

  // With the focus on nothing, the first of the areas that can still move that way is scrolled.
  scroll(event) {
    const at = document.activeElement;
    if (at && at !== document.body) return false;
    const down = DOWNWARDS.has(event.key);
    const room = (area) => (down ? area.scrollHeight - area.clientHeight - area.scrollTop : area.scrollTop);
    const area = this.scrolls.map((name) => document.querySelector(name)).find((one) => one && room(one) > 1);
    if (!area) return false;
    const bar = area.querySelector('[data-testid="stBottom"]');
    const page = PAGE * (area.clientHeight - (bar ? bar.offsetHeight : 0));
    const step = { PageDown: page, PageUp: page, ArrowDown: LINE_PX, ArrowUp: LINE_PX }[event.key] || Infinity;
    area.scrollTop += (down ? 1 : -1) * Math.min(step, room(area));
    return true;
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
    if (event.key === "Enter" && this.inBox()) this.asked = true;
    if (editable(document.activeElement)) return;
    const box = event.key === this.boxKey && this.box();
    if (box) { this.stop(event); box.focus(); return; }
    const choice = event.key === this.groupKey && this.nextChoice();
    if (choice) { this.stop(event); choice.focus(); return; }
    if (event.repeat && this.once.has(event.key)) this.stop(event);
    else if (this.keys.has(event.key)) this.onOwnKey(event);
    else if (this.ahead.has(event.key)) this.onAhead(event);
    else if (event.key === "Escape" && this.cancel) this.onCancel(event);
    else if (SCROLLS.has(event.key) && this.scroll(event)) this.stop(event);
    else if (this.strange && /^[0-9]$/.test(event.key)) this.onStrange(event);
    else if (Object.hasOwn(this.idle, event.key)) this.onIdle(event);
  }

  onAhead(event) {
    if ((this.waiting || this.stale) && !event.repeat) this.refuse(event);
    else if (Object.hasOwn(this.idle, event.key)) this.onIdle(event);
  }

  // Escape takes back what is half given, before it closes anything; first it leaves a text.
  onCancel(event) {
    const button = document.querySelector(this.cancel);
    const inText = document.activeElement && document.activeElement.closest(".jk-text");
    if (!button || inText || this.waiting || this.stale || !this.connected()) return;
    this.stop(event);
    this.await(event.key);
    button.click();
  }

  onIdle(event) {
    if (this.waiting || this.stale || !this.connected()) return;
    this.say(this.idle[event.key], "");
  }

  onStrange(event) {
    if (this.waiting || this.stale || !this.connected()) return;
    this.stop(event);
    this.say(`${event.key}: ${this.strange}`, "warning");
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
