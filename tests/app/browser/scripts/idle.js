// Streamlit says on stApp whether a script is running and whether the server is there.
() => {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return document.readyState === 'complete' && !document.querySelector('noscript');
  return app.getAttribute('data-test-script-state') === 'notRunning'
      && app.getAttribute('data-test-connection-state') === 'CONNECTED';
}
