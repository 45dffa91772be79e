import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Logger } from '@nestjs/common';

/** The first bytes of every database: https://www.sqlite.org/fileformat2.html#the_database_header */
const MAGIC = Buffer.from('SQLite format 3\0');

/**
 * One descriptor of each file, shared: closing any of them releases all locks that the process holds on the file, so that another process
 * could take its log away (https://sqlite.org/howtocorrupt.html, 2.2).
 */
const descriptors = new Map<string, { descriptor: number; users: number }>();

/**
 * The file that this process has opened. SQLite in WAL mode doesn't notice that another one stands at its path, or none, and everything
 * written from then on is lost.
 */
export class DatabaseFile {
  private readonly logger = new Logger('Database');
  private identity: { dev: number; ino: number };
  /** Also keeps the inode's number from being given to another file. */
  private opened: { descriptor: number; users: number };
  private readonly reported = new Set<string>();

  constructor(readonly path: string) {}

  /** Call it when SQLite opens the file: after `close`, its descriptor is another file's. */
  open(): void {
    this.identity = statSync(this.path);
    this.opened = descriptors.get(this.key) ?? { descriptor: openSync(this.path, 'r'), users: 0 };
    this.opened.users++;
    descriptors.set(this.key, this.opened);
  }

  /** @throws Error with SQLite's code if the path no longer leads to the opened file; logged once */
  requireInPlace(): void {
    if (!this.isInPlace()) throw Object.assign(new Error('The database file has moved.'), { code: 'SQLITE_READONLY_DBMOVED' });
  }

  /** Whether it is in place, and begins as a database does. Each problem is logged once. */
  isIntact(): boolean {
    const start = Buffer.alloc(MAGIC.length);
    readSync(this.opened.descriptor, start, 0, start.length, 0);
    const isDatabase = this.check(start.equals(MAGIC), 'has been overwritten, and is no database any more');
    return this.isInPlace() && isDatabase;
  }

  /** Call it once SQLite has closed the file. */
  close(): void {
    if (--this.opened.users > 0) return;
    descriptors.delete(this.key);
    closeSync(this.opened.descriptor);
  }

  private get key(): string {
    return `${this.identity.dev} ${this.identity.ino}`;
  }

  private isInPlace(): boolean {
    return this.check(this.leadsHere(), 'has been removed or replaced, so nothing is written any more');
  }

  private leadsHere(): boolean {
    try {
      const { dev, ino } = statSync(this.path);
      return dev === this.identity.dev && ino === this.identity.ino;
    } catch {
      return false; // there is none, or its folder can't be read
    }
  }

  private check(isRight: boolean, problem: string): boolean {
    if (!isRight && !this.reported.has(problem)) {
      const message = `The database file ${problem}. Stop the service, restore the file, and start it again.`;
      this.logger.error({ message, file: this.path });
    }
    if (isRight) this.reported.delete(problem);
    else this.reported.add(problem);
    return isRight;
  }
}
