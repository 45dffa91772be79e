import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy between the service and the database that can be cut or frozen. */
export class Line {
  private readonly pairs = new Map<Socket, Socket>();
  private isFrozen = false;

  private constructor(
    private readonly listener: Server,
    readonly url: string,
    private target: string,
  ) {}

  static async to(databaseUrl: string): Promise<Line> {
    const listener = createServer((near) => line.join(near));
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const line: Line = new Line(listener, url.href, databaseUrl);
    return line;
  }

  async cut(): Promise<void> {
    for (const [near, far] of this.pairs) {
      near.destroy();
      far.destroy();
    }
    await new Promise((resolve) => this.listener.close(resolve));
  }

  async mend(): Promise<void> {
    await once(this.listener.listen(Number(new URL(this.url).port), '127.0.0.1'), 'listening');
  }

  /** New connections go to another server; open ones stay, as after a change in DNS. */
  switchTo(databaseUrl: string): void {
    this.target = databaseUrl;
  }

  /** Holds back data in both directions and keeps connections open, like a server that hangs. */
  freeze(): void {
    this.isFrozen = true;
    for (const [near, far] of this.pairs) {
      near.unpipe(far).pause();
      far.unpipe(near).pause();
    }
  }

  thaw(): void {
    this.isFrozen = false;
    for (const [near, far] of this.pairs) near.pipe(far).pipe(near);
  }

  private join(near: Socket): void {
    const { hostname, port } = new URL(this.target);
    const far = connect(Number(port || 3306), hostname);
    this.pairs.set(near, far);
    near.on('error', () => far.destroy()).on('close', () => far.destroy() && this.pairs.delete(near));
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    if (!this.isFrozen) near.pipe(far).pipe(near);
  }
}
