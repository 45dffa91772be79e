import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** An address in front of a database, like a virtual IP: once switched, new connections go to the other port, and open ones stay. */
export async function startRelay(target) {
  let to = target;
  const listener = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return {
    port: listener.address().port,
    switchTo: (other) => (to = other),
    close: () => listener.close(),
  };
}
