import { start } from './programs/server/start';

void start();
