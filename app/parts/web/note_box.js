// A note that survives: sent 300 ms after the last key, and at once when the box is left.
// Escape and Ctrl+Enter leave it, so that the next key labels and is not typed.

const PAUSE_MS = 300;
const CLOSING_MS = 500;

class NoteBox {
  constructor(root) {
    this.label = document.createElement("label");
    this.area = document.createElement("textarea");
    this.area.id = `jk-note-${Math.random().toString(36).slice(2)}`;
    this.label.htmlFor = this.area.id;
    root.append(this.label, this.area);
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("blur", () => this.flush());
    this.area.addEventListener("focus", (event) => this.onFocus(event));
    this.area.addEventListener("keydown", (event) => this.onKey(event));
    this.keyed = (event) => this.onDocumentKey(event);
    document.addEventListener("keydown", this.keyed);
    this.escaping = (event) => { if (event.key === "Escape") this.escaped = event.timeStamp; };
    window.addEventListener("keydown", this.escaping, { capture: true });
    this.isCut = () => { this.cut = true; };
    this.isBack = () => this.back();
    window.addEventListener("jk-cut", this.isCut);
    window.addEventListener("jk-back", this.isBack);
  }

  close() {
    this.leave();
    document.removeEventListener("keydown", this.keyed);
    window.removeEventListener("keydown", this.escaping, { capture: true });
    window.removeEventListener("jk-cut", this.isCut);
    window.removeEventListener("jk-back", this.isBack);
  }

  // Half of a character (a paste that was cut) is no text that can be stored.
  words() {
    return this.area.value.replace(/\p{Surrogate}/gu, "\uFFFD");
  }

  // What was to be sent into a lost connection never came: it is sent now. Whether it is still
  // about the item in hand is known once the server has answered.
  back() {
    this.cut = false;
    this.doubted = this.sent !== undefined;
    if (this.doubted) this.send({ token: this.token, text: this.words() });
  }

  // Words that the server does not have are told where another item takes their place.
  leave() {
    const words = this.area.value.trim();
    const unsent = this.sent !== undefined || this.area.value !== this.saved;
    if (!this.cut && !this.doubted) this.flush();
    else if (unsent && words) unstored("note", words);
    clearTimeout(this.timer);
    this.timer = null;
    this.cut = this.doubted = false;
    this.sent = undefined;
  }

  show(data, send, done) {
    const other = this.token !== data.token;
    if (other) {
      if (this.token !== undefined) this.leave();
      this.token = data.token;
      this.area.value = data.text;
      this.saved = data.text;
    } else if (document.activeElement !== this.area && !this.timer && this.sent === undefined) {
      this.area.value = data.text;
      this.saved = data.text;
    } else if (data.text === this.sent) {
      this.sent = undefined;
      this.doubted = false;
    }
    this.send = send;
    this.done = done;
    this.focusKey = data.focus_key;
    this.label.textContent = data.label;
    this.area.rows = data.rows;
    this.area.maxLength = 20000;
    if (other && data.focus) this.area.focus();
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), PAUSE_MS);
    announce("jk-unsaved");
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.send || this.area.value === this.saved) return;
    this.saved = this.area.value;
    this.sent = this.words();
    if (!this.cut) this.send({ token: this.token, text: this.sent });
  }

  // Without a server Streamlit opens a box of its own; Escape closes it, and that gives the focus
  // back to the note: the note is left by the same press.
  onFocus(event) {
    if (this.cut && event.timeStamp - this.escaped < CLOSING_MS) this.area.blur();
  }

  onKey(event) {
    if (event.isComposing) return;
    const finished = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (event.key !== "Escape" && !finished) return;
    event.preventDefault();
    event.stopPropagation();  // Escape leaves the box and closes nothing besides
    this.area.blur();
    if (finished) this.done({ token: this.token, text: this.words() });
  }

  onDocumentKey(event) {
    if (!this.focusKey || event.key !== this.focusKey || editable(document.activeElement)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.area.focus();
  }
}

const boxes = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".jk-note");
  if (!root) {
    root = document.createElement("div");
    root.className = "jk-note";
    parentElement.append(root);
  }
  let box = boxes.get(root);
  if (!box) { box = new NoteBox(root); boxes.set(root, box); }
  box.show(data, (value) => setTriggerValue("draft", value), (value) => setTriggerValue("done", value));
  return () => { if (!root.isConnected) { box.close(); boxes.delete(root); } };
}
