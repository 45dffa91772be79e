import { ConfigError } from '../../config/config';
import type { SqlReader } from '../dialect';
import { inList } from '../value-lists';

const SAMPLE_CHARACTER = '🛎';
/** The UTF-8 bytes of SAMPLE_CHARACTER. */
const SAMPLE_HEX = 'F09F9B8E';
const FIND_SETTINGS = "SHOW VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'max_user_connections')";

/** What the server must support; no session setting could provide it. */
interface ServerRequirements {
  /** Tables whose text columns must be able to store every character. */
  tables: readonly string[];
  poolSize: number;
  processes: number;
}

/** @throws ConfigError for a server on which writes would fail, text would be mangled, or connections would run out */
export async function checkServer(reader: SqlReader, { tables, poolSize, processes }: ServerRequirements): Promise<void> {
  const settings = new Map(await reader.read<[name: string, value: string]>(FIND_SETTINGS, []));
  if (settings.get('log_bin') === 'ON' && settings.get('binlog_format') === 'STATEMENT')
    throw databaseUrlError(
      'the server has binlog_format=STATEMENT, with which it rejects every write under READ COMMITTED. Set it to MIXED or ROW.',
    );
  const [limit, needed] = [Number(settings.get('max_user_connections') ?? 0), (2 * poolSize + 1) * processes];
  if (limit > 0 && limit < needed)
    throw databaseUrlError(
      `the user may open ${limit} connections (max_user_connections), but the service opens up to ${needed}: ` +
        `twice DATABASE_POOL_SIZE (${poolSize}) and one more, times WORKERS (${processes}). Raise the limit, or lower DATABASE_POOL_SIZE.`,
    );
  await checkTexts(reader, tables);
}

/** Tries an emoji: it takes four bytes in UTF-8, which latin1 and utf8mb3 can't store. */
async function checkTexts(reader: SqlReader, tables: readonly string[]): Promise<void> {
  const [[echo, hex]] = await reader.read<[echo: string, hex: string]>('SELECT ?, HEX(?)', [SAMPLE_CHARACTER, SAMPLE_CHARACTER]);
  if (echo !== SAMPLE_CHARACTER || hex !== SAMPLE_HEX)
    throw databaseUrlError(
      `the server, or a proxy in front of it, doesn't preserve the characters of a statement: ${SAMPLE_CHARACTER} became ${echo} (${hex}).`,
    );
  const { sql, values } = inList(tables);
  const [narrowColumn] = await reader.read<[table: string, column: string, charset: string]>(
    `SELECT table_name, column_name, character_set_name FROM information_schema.columns
     WHERE table_schema = DATABASE() AND table_name IN ${sql} AND character_set_name NOT IN ('utf8mb4', 'ascii') LIMIT 1`,
    values,
  );
  if (!narrowColumn) return;
  const [table, column, charset] = narrowColumn;
  throw databaseUrlError(
    `${table}.${column} can't store every character, such as ${SAMPLE_CHARACTER}: its character set is ${charset}. ` +
      `Run, for each such table: ALTER TABLE ${table} CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  );
}

function databaseUrlError(problem: string): ConfigError {
  return new ConfigError(`DATABASE_URL: ${problem}`);
}
