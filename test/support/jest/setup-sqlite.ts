import { buildServer } from './build';
import { useMemory } from './memory-folder';

export default function setUpSqlite(): void {
  useMemory();
  buildServer();
}
