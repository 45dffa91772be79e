import { render } from 'preact';
import { App } from './app';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/controls.css';
import './styles/lists.css';

const root = document.getElementById('console');
root?.replaceChildren(); // removes the notice shown until this script loads
if (root) render(<App />, root);
