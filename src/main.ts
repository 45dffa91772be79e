import { startServer } from './start-server';

void startServer();
