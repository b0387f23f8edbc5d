// Runs before anything is painted. The page's own script, whose evaluation keeps a browser from painting, comes after that.
import { restoreScheme } from './data/scheme.ts';

restoreScheme();
const load = () => void import(`${location.origin}/assets/console.js`);
// Nothing is painted in a tab that is not seen.
if (document.hidden) load();
else requestAnimationFrame(() => setTimeout(load));
