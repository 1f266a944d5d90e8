// From the trusted input event itself (seen before any handler) to the first frame painted after
// the watched value differs. The browser's own clock: nothing of the driver is in the figure.
(() => {
  if (window.__latency) return;
  const state = window.__latency = {start: null, armed: false, done: null};
  const mark = event => { if (state.armed && state.start === null) state.start = event.timeStamp; };
  for (const kind of ['keydown', 'pointerdown'])
    window.addEventListener(kind, mark, {capture: true, passive: true});
  const read = (selector, attribute) => {
    const node = document.querySelector(selector);
    if (!node) return null;
    return attribute ? node.getAttribute(attribute) : node.textContent;
  };
  // When the item on the page came there: people cannot read faster than the dwell guard allows.
  window.__shown = null;
  let last = null;
  new MutationObserver(() => {
    const now = read('#probe', 'data-presentation');
    if (now && now !== last) { last = now; window.__shown = performance.now(); }
  }).observe(document, {subtree: true, childList: true, attributes: true});
  state.arm = (selector, attribute, timeout) => {
    const before = read(selector, attribute);
    state.armed = true; state.start = null;
    state.done = new Promise((resolve, reject) => {
      let over = false;
      const finish = () => { over = true; state.armed = false; observer.disconnect(); clearTimeout(timer); };
      const look = () => {
        if (over || state.start === null) return;
        const after = read(selector, attribute);
        if (after === null || after === '' || after === before) return;
        finish();
        requestAnimationFrame(() => setTimeout(
          () => resolve({before, after, ms: performance.now() - state.start}), 0));
      };
      const observer = new MutationObserver(look);
      observer.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
      const timer = setTimeout(() => {
        const input = state.start === null ? ' (the page saw no input)' : '';
        finish();
        reject(new Error(`${selector} ${attribute || 'text'} did not change in ${timeout} ms${input}`));
      }, timeout);
    });
    state.done.catch(() => {});
    return before;
  };
})();
