// Notes when the page last sent, last received and was last acted on, for `idle`.
(() => {
  const seen = { sent: 0, received: 0, acted: 0 };
  window.__traffic = seen;
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...options) {
      super(...options);
      seen.sent = seen.received = 0;
      this.addEventListener('message', () => { seen.received = performance.now(); });
    }
    send(data) {
      seen.sent = performance.now();
      super.send(data);
    }
  };
  for (const kind of ['keydown', 'click', 'input', 'change', 'focusout']) {
    window.addEventListener(kind, () => { seen.acted = performance.now(); }, true);
  }
})();
