// The line that says whether everything is kept. It also sees label keys before the buttons do:
// a key that cannot be taken now (held down, typed ahead, no connection) is stopped and told.

const WAIT_MS = 1000;
const GIVE_UP_MS = 5000;
const DOWN = "Not connected: keys are not taken. Nothing saved is lost; go on when this line changes.";

const ANEW = "Not saved: the server was started anew. Reload the page, then press the key again.";

// Escape leaves the box "Go to item" without going anywhere: what was typed is dropped.
const leaveJump = () => {
  const box = document.activeElement;
  if (!box || box.tagName !== "INPUT" || !box.closest(".st-key-jump")) return;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(box, "");
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.blur();
};

class StatusLine {
  constructor(root) {
    this.line = root;
    this.down = false;
    this.fresh = false;
    this.doubtful = false;
    this.refused = 0;
    this.keyed = (event) => this.onKey(event);
    this.unsaved = () => this.say("Unsaved note", "");
    window.addEventListener("keydown", this.keyed, { capture: true });
    window.addEventListener("jk-unsaved", this.unsaved);
    this.app = document.querySelector('[data-testid="stApp"]');
    this.watch = new MutationObserver(() => this.connection());
    if (this.app) {
      this.watch.observe(this.app, {
        attributes: true, attributeFilter: ["data-test-connection-state"],
      });
    }
  }

  close() {
    window.removeEventListener("keydown", this.keyed, { capture: true });
    window.removeEventListener("jk-unsaved", this.unsaved);
    this.watch.disconnect();
    this.answered();
  }

  connected() {
    const state = this.app && this.app.getAttribute("data-test-connection-state");
    return !state || state === "CONNECTED";
  }

  connection() {
    if (!this.connected()) {
      this.down = true;
      this.answered();
      this.say(DOWN, "warning");
    } else if (this.down) {
      this.down = false;
      this.fresh = true;
      this.say("Connected again", "");
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
    this.after = data.after;
    const dropped = this.doubtful && this.token === data.token;
    if (dropped) this.serial = undefined;
    this.doubtful = false;
    this.fresh = false;
    if (data.serial === this.serial) return;
    this.serial = data.serial;
    if (this.token !== undefined && this.token !== data.token) this.begin();
    this.token = data.token;
    this.answered();
    const refused = this.refused;
    this.refused = 0;
    if (dropped) {
      this.say("Connected again, but that key was not taken: press it once more", "warning");
      return;
    }
    const more = refused ? ` · ${refused} ${refused === 1 ? "key" : "keys"} typed ahead: not taken.` : "";
    this.say(data.text + more, data.kind || (refused ? "warning" : ""));
  }

  // Another item: from its beginning, and with the keys free again.
  begin() {
    const here = document.activeElement;
    if (here && here.closest(".st-key-jump")) here.blur();
    const main = document.querySelector('[data-testid="stMain"]');
    if (main) main.scrollTop = 0;
  }

  stop(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") leaveJump();
    if (editable(document.activeElement)) return;
    if (!this.keys.has(event.key)) {
      if (this.waiting && !event.repeat && this.ahead.has(event.key)) {
        this.stop(event);
        this.refused += 1;
      }
      return;
    }
    if (!this.connected()) { this.stop(event); this.say(DOWN, "warning"); return; }
    if (event.repeat) { this.stop(event); return; }
    // A server that was started anew knows no button yet: the key runs the page and does nothing.
    this.doubtful = this.fresh;
    const follows = (this.after[this.waiting] || []).includes(event.key);
    if (this.waiting && !follows) { this.stop(event); this.refused += 1; return; }
    this.answered();
    this.waiting = event.key;
    const late = this.doubtful ? ANEW : "Not saved yet: waiting for the server";
    this.slow = setTimeout(() => this.say(late, "warning"), WAIT_MS);
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
