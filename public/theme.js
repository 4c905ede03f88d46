// Runs before the first paint, so the page never flashes in the other theme.
(() => {
  let wish = null;
  try {
    wish = localStorage.getItem('theme');
  } catch {}
  const light = wish ? wish === 'light' : matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
})();
