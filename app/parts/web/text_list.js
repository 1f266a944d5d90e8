// A list of plain text rows: all words are text nodes, every action has one key.
const kept = new WeakMap();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let list = kept.get(parentElement);
  if (!list) {
    list = new TextList(parentElement);
    kept.set(parentElement, list);
  }
  list.send = (act) => setTriggerValue("act", act);
  list.show(data);
}

const operation = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
};

class TextList {
  constructor(parent) {
    this.active = null;
    this.selected = new Set();
    this.root = make("div", "jk-list");
    this.uid = "jk" + operation().slice(0, 8);
    this.bar = make("div", "bar");
    this.bar.setAttribute("role", "toolbar");
    this.box = make("div", "box");
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "listbox");
    this.asking = make("div", "prompt");
    this.asking.hidden = true;
    this.line = make("div", "line");
    this.line.setAttribute("role", "status");
    this.root.append(this.bar, this.asking, this.box, this.line);
    parent.append(this.root);
    this.box.addEventListener("keydown", (e) => this.key(e));
    this.box.addEventListener("click", (e) => this.click(e));
    this.box.addEventListener("dblclick", () => this.run(this.data.actions[0]));
  }

  show(data) {
    const before = this.index();
    const same = JSON.stringify(data.rows) === this.drawn;
    this.data = data;
    this.box.setAttribute("aria-label", data.label);
    this.bar.setAttribute("aria-label", data.label);
    this.box.setAttribute("aria-multiselectable", String(data.multi));
    this.box.style.maxHeight = data.height + "px";
    const ids = new Set(data.rows.map((r) => r.id));
    for (const id of [...this.selected]) if (!ids.has(id)) this.selected.delete(id);
    if (data.select && data.select.token !== this.choice) {
      this.choice = data.select.token;
      this.selected = new Set(data.select.ids.filter((id) => ids.has(id)));
    }
    if (!ids.has(this.active)) {
      const at = Math.min(Math.max(before, 0), data.rows.length - 1);
      this.active = data.rows.length ? data.rows[at].id : null;
    }
    if (!same) this.draw();
    this.drawBar();
    this.mark();
  }

  draw() {
    this.drawn = JSON.stringify(this.data.rows);
    this.options = new Map();
    this.box.replaceChildren();
    if (!this.data.rows.length) this.box.append(make("div", "empty", this.data.empty));
    let group = null, into = this.box;
    for (const row of this.data.rows) {
      if (row.group !== group) {
        group = row.group;
        into = this.box;
        if (group) {
          into = make("div", "group");
          into.setAttribute("role", "group");
          into.setAttribute("aria-label", group);
          const head = make("div", "head", group);
          head.setAttribute("aria-hidden", "true");
          head.dir = "auto";
          into.append(head);
          this.box.append(into);
        }
      }
      into.append(this.option(row));
    }
  }

  option(row) {
    const option = make("div", "row");
    option.setAttribute("role", "option");
    option.id = `${this.uid}-row-${this.options.size}`;
    option.dataset.row = row.id;
    const tick = make("span", "tick");
    tick.setAttribute("aria-hidden", "true");
    const body = make("span", "body");
    const text = make("span", "text", row.text);
    text.dir = "auto";
    body.append(text);
    if (row.flag) body.append(make("span", "flag", row.flag));
    if (row.meta.length) body.append(make("span", "meta", row.meta.join("  ·  ")));
    if (this.data.multi) option.append(tick);
    option.append(body);
    this.options.set(row.id, option);
    return option;
  }

  drawBar() {
    const shown = JSON.stringify(this.data.actions.map((a) => [a.key, a.label]));
    if (shown === this.barDrawn) return;
    this.barDrawn = shown;
    this.bar.replaceChildren();
    for (const action of this.data.actions) {
      const button = make("button", "act", action.label + " ");
      button.type = "button";
      button.dataset.name = action.name;
      button.append(make("kbd", "", action.key === "enter" ? "Enter" : action.key));
      button.setAttribute("aria-keyshortcuts", action.key);
      button.addEventListener("click", () => this.run(this.named(action.name)));
      this.bar.append(button);
    }
  }

  named(name) {
    return this.data.actions.find((a) => a.name === name);
  }

  mark() {
    for (const [id, option] of this.options) {
      const chosen = this.data.multi ? this.selected.has(id) : id === this.active;
      option.setAttribute("aria-selected", String(chosen));
      option.classList.toggle("active", id === this.active);
      if (id === this.active) {
        this.box.setAttribute("aria-activedescendant", option.id);
        this.reveal(option);
      }
    }
    const n = this.selected.size;
    const some = this.data.rows.length;
    this.say(this.data.multi && some ? `${n} of ${some} selected` : "");
    for (const button of this.bar.children) {
      button.disabled = this.named(button.dataset.name)?.needs !== "none" && !some;
    }
  }

  // Scrolls the list only, never the page.
  reveal(option) {
    const a = option.getBoundingClientRect(), b = this.box.getBoundingClientRect();
    const head = option.parentElement === this.box ? 0 : 36;  // the group's name stays on top
    if (a.top < b.top + head) this.box.scrollTop -= b.top + head - a.top + 4;
    else if (a.bottom > b.bottom) this.box.scrollTop += a.bottom - b.bottom + 4;
  }

  say(text) {
    if (this.line.textContent !== text) this.line.replaceChildren(document.createTextNode(text));
  }

  index() {
    return this.data ? this.data.rows.findIndex((r) => r.id === this.active) : 0;
  }

  move(to, extend) {
    const rows = this.data.rows;
    if (!rows.length) return;
    const at = Math.min(Math.max(to, 0), rows.length - 1);
    if (extend && this.data.multi) {
      const from = this.index();
      for (let i = Math.min(from, at); i <= Math.max(from, at); i++) this.selected.add(rows[i].id);
    }
    this.active = rows[at].id;
    this.mark();
  }

  toggle(id) {
    if (!this.data.multi || id === null) return;
    this.selected.has(id) ? this.selected.delete(id) : this.selected.add(id);
    this.mark();
  }

  click(event) {
    const option = event.target.closest?.(".row");
    if (!option) return;
    const id = option.dataset.row;
    if (event.shiftKey) return this.move(this.data.rows.findIndex((r) => r.id === id), true);
    this.active = id;
    this.data.multi ? this.toggle(id) : this.mark();
    if (!this.data.multi && this.data.opens) this.run(this.data.actions[0]);
  }

  key(event) {
    if (event.altKey || event.metaKey) return;
    const i = this.index();
    const many = this.data.multi;
    const steps = { ArrowDown: i + 1, ArrowUp: i - 1, j: i + 1, k: i - 1, Home: 0,
                    End: Infinity, PageDown: i + 8, PageUp: i - 8 };
    const name = event.key;
    if (event.ctrlKey) {
      if (name !== "a" || !many) return;
      this.data.rows.forEach((r) => this.selected.add(r.id));
      this.mark();
    } else if (name in steps) this.move(steps[name], event.shiftKey);
    else if (name === " ") this.toggle(this.active);
    else if (name === "Escape" && this.selected.size) { this.selected.clear(); this.mark(); }
    else {
      const action = this.data.actions.find((a) => a.key === name.toLowerCase());
      if (!action) return;
      if (!event.repeat) this.run(action);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  run(action) {
    if (!action) return;
    const ids = this.selected.size
      ? this.data.rows.map((r) => r.id).filter((id) => this.selected.has(id))
      : this.active === null ? [] : [this.active];
    if (action.needs !== "none" && !ids.length) return this.say("Nothing is selected.");
    if (action.prompt) return this.ask(action, ids);
    this.act(action, ids, null, "");
  }

  act(action, ids, option, text) {
    this.send({ name: action.name, ids, row: this.active, option, text, op_id: operation() });
    if (action.clears) this.goOn(ids);
    this.mark();
    if (action.leaves) {
      this.box.blur();
      document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
    }
  }

  // What was dealt with may move elsewhere in the list: stay near where it was.
  goOn(ids) {
    const done = new Set(ids);
    const rows = this.data.rows, i = this.index();
    const next = rows.slice(i).find((r) => !done.has(r.id))
      ?? rows.slice(0, i).reverse().find((r) => !done.has(r.id));
    if (this.data.multi && next) this.active = next.id;
    this.selected.clear();
  }

  ask(action, ids) {
    const { label, options, free, many } = action.prompt;
    const n = ids.length;
    const title = many ? `${label} (${n} ${n === 1 ? "note" : "notes"})` : label;
    const close = () => {
      this.asking.hidden = true;
      this.asking.replaceChildren();
      this.box.focus();
    };
    const done = (option, text) => { close(); this.act(action, ids, option, text); };
    const offered = options.filter((o) => o.id !== this.active || many);
    const how = { free, value: this.starting(action) };
    const question = new Question(this.uid, title, offered, how, done, close);
    this.asking.replaceChildren(question.root);
    this.asking.hidden = false;
    question.input.focus();
    question.input.select();
  }

  starting(action) {
    if (!action.prompt.starts_with_row) return "";
    return this.data.rows[this.index()]?.text ?? "";
  }
}

// A text box with a list under it: type to find, arrows to choose, Enter to take, Escape to leave.
class Question {
  constructor(uid, title, options, { free, value }, done, close) {
    Object.assign(this, { uid, options, free, done, close, shown: [], at: 0 });
    this.root = make("div", "asking");
    this.input = make("input");
    this.menu = make("div", "menu");
    const label = make("label", "", title);
    label.htmlFor = this.input.id = `${uid}-input`;
    this.input.value = value;
    this.input.maxLength = 80;
    this.input.autocomplete = "off";
    this.menu.id = `${uid}-menu`;
    this.menu.setAttribute("role", "listbox");
    this.menu.setAttribute("aria-label", title);
    if (options.length) this.offerChoices();
    this.input.addEventListener("input", () => { this.at = 0; this.draw(); });
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.root.append(label, this.input, this.menu, make("div", "hint", this.hint()));
    this.draw();
  }

  offerChoices() {
    this.input.setAttribute("role", "combobox");
    this.input.setAttribute("aria-controls", this.menu.id);
    this.input.setAttribute("aria-expanded", "true");
    this.input.setAttribute("aria-autocomplete", "list");
  }

  hint() {
    if (!this.options.length) return "Enter takes it, Esc leaves";
    return `Type to find${this.free ? " or to name a new one" : ""}, Enter takes it, Esc leaves`;
  }

  // The options in which the typed words stand; a new name comes last, where one may be given.
  found() {
    const typed = this.input.value.trim();
    const folded = typed.toLocaleLowerCase();
    const shown = this.options.filter((o) => !folded || o.text.toLocaleLowerCase().includes(folded));
    const exact = this.options.some((o) => o.text.toLocaleLowerCase() === folded);
    if (this.free && typed && !exact) shown.push({ id: null, text: typed, fresh: true });
    return shown;
  }

  draw() {
    this.shown = this.found();
    this.at = Math.min(this.at, Math.max(0, this.shown.length - 1));
    this.menu.replaceChildren(...this.shown.map((option, place) => this.entry(option, place)));
    if (!this.shown.length) {
      this.menu.append(make("div", "none", this.free ? "Type a name, then Enter." : "Nothing like this."));
    }
    const active = this.shown.length ? `${this.uid}-entry-${this.at}` : "";
    this.input.setAttribute("aria-activedescendant", active);
  }

  entry(option, place) {
    const entry = make("div", "entry");
    entry.setAttribute("role", "option");
    entry.id = `${this.uid}-entry-${place}`;
    entry.setAttribute("aria-selected", String(place === this.at));
    if (option.fresh) entry.append(make("span", "new", this.options.length ? "New:" : "Name:"));
    const text = make("span", "name", option.text);
    text.dir = "auto";
    entry.append(text);
    entry.addEventListener("mousedown", (event) => { event.preventDefault(); this.take(place); });
    return entry;
  }

  take(place) {
    const chosen = this.shown[place];
    if (chosen) this.done(chosen.id, chosen.id === null ? chosen.text : "");
  }

  onKey(event) {
    event.stopPropagation();
    if (event.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter") this.take(this.at);
    else if (event.key in steps) {
      this.at = Math.max(0, Math.min(this.at + steps[event.key], this.shown.length - 1));
      this.draw();
    } else return;
    event.preventDefault();
  }
}
