import { render } from 'preact';
import { App } from './app';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/controls.css';
import './styles/lists.css';

const root = document.getElementById('console');
root?.replaceChildren(); // what is shown while this script doesn't come
if (root) render(<App />, root);
