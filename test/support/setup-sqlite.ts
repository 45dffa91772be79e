import { buildServer } from './build';

export default buildServer;
