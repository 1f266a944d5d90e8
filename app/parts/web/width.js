// Tells the server whether the window is narrow, when it opens and when that changes.

const query = window.matchMedia("(max-width: 700px)");
const seen = new WeakMap();

export default function (component) {
  const { parentElement, setStateValue } = component;
  const tell = () => setStateValue("narrow", query.matches);
  if (!seen.has(parentElement) && query.matches) tell();
  seen.set(parentElement, true);
  query.onchange = tell;
  return () => { query.onchange = null; };
}
