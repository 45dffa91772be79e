import { once } from 'node:events';
import { createServer } from 'node:http';
import { createPool } from 'mysql2/promise';

/** A deliberately vulnerable server: concatenates input into SQL. A scanner that misses its hole finds nothing. */
export async function startControlServer(databaseUrl) {
  const pool = createPool({ uri: databaseUrl, connectionLimit: 4 });
  const server = createServer((request, response) => {
    const host = new URL(request.url, 'http://control').searchParams.get('host');
    pool.query(`SELECT id, host FROM domains WHERE host = '${host}'`).then(
      ([rows]) => response.end(JSON.stringify({ data: rows })),
      (error) => response.writeHead(500).end(JSON.stringify({ error: error.message })),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: server.address().port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await pool.end();
    },
  };
}
