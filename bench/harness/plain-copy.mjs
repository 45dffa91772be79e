// Copies the tables of deliveries into tables without indexes of another database, with as many rows per statement as `frontdesk move`, and
// a transaction per table. Usage: node plain-copy.mjs <from> <to>
import Database from 'libsql';
import { createConnection } from 'mysql2';
import { DELIVERIES } from './fill.mjs';

const ROWS = 250;
const FILE = /^sqlite:/;

const [source, target] = process.argv.slice(2).map((url) => (FILE.test(url) ? openSqlite(url.replace(FILE, '')) : openMariadb(url)));
for (const table of DELIVERIES) {
  await target.run('BEGIN');
  let rows = [];
  for await (const row of source.rows(`SELECT * FROM ${table}`)) {
    if (rows.push(row) < ROWS) continue;
    await target.insert(table, rows);
    rows = [];
  }
  if (rows.length > 0) await target.insert(table, rows);
  await target.run('COMMIT');
}
process.exit();

function openSqlite(file) {
  const database = new Database(file);
  const statements = new Map();
  const prepare = (sql) => statements.get(sql) ?? statements.set(sql, database.prepare(sql)).get(sql);
  return {
    rows: (sql) => database.prepare(sql).raw().iterate(),
    run: (sql) => database.exec(sql),
    insert(table, rows) {
      const marks = `(${rows[0].map(() => '?').join(', ')})`;
      prepare(`INSERT INTO ${table} VALUES ${rows.map(() => marks).join(', ')}`).run(rows.flat());
    },
  };
}

function openMariadb(url) {
  const connection = createConnection({ uri: url, rowsAsArray: true, supportBigNumbers: true });
  return {
    rows: (sql) => connection.execute(sql).stream(),
    run: (sql) => connection.promise().query(sql),
    insert: (table, rows) => connection.promise().query(`INSERT INTO ${table} VALUES ?`, [rows]),
  };
}
