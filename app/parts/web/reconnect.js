// A page that outlived its connection is drawn anew once it is connected again: a server that was
// started anew knows none of its buttons. The boxes stay where they are, with what is typed in them.

class Reconnect {
  constructor() {
    this.app = document.querySelector('[data-testid="stApp"]');
    this.watch = new MutationObserver(() => this.look());
    this.watch.observe(this.app, { attributes: true, attributeFilter: [CONNECTION, SCRIPT] });
  }

  close() {
    this.watch.disconnect();
  }

  // Asked once for each time that the connection came back, so there is no loop.
  look() {
    if (!connected(this.app)) {
      if (!this.lost) announce("jk-cut");
      this.lost = true;
      this.asked = this.drawn = false;
    } else if (this.lost) {
      this.lost = false;
      this.asked = true;
      this.ask();
    } else if (this.drawn && this.app.getAttribute(SCRIPT) === "notRunning") {
      this.drawn = false;
      announce("jk-back");
    }
  }

  show(run, ask) {
    this.ask = ask;
    if (this.asked && run !== this.run) {
      this.asked = false;
      this.drawn = true;
    }
    this.run = run;
    this.look();
  }
}

const watches = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  let watch = watches.get(parentElement);
  if (!watch) { watch = new Reconnect(); watches.set(parentElement, watch); }
  watch.show(data.run, () => setTriggerValue("again", data.run));
  return () => { if (!parentElement.isConnected) { watch.close(); watches.delete(parentElement); } };
}
