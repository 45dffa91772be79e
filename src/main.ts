import { start } from './programs/service/start';

void start();
