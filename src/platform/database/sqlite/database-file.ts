import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Logger } from '@nestjs/common';

/** The first bytes of every database: https://www.sqlite.org/fileformat2.html#the_database_header */
const SQLITE_MAGIC = Buffer.from('SQLite format 3\0');

/**
 * One shared descriptor per file: closing any descriptor of a file releases all locks that the process holds on it, and another process
 * could then delete the WAL (https://sqlite.org/howtocorrupt.html, 2.2).
 */
const descriptors = new Map<string, { descriptor: number; users: number }>();

/**
 * The database file that this process has opened. In WAL mode, SQLite doesn't notice when the file is replaced or removed, and everything
 * written from then on is lost.
 */
export class DatabaseFile {
  private readonly logger = new Logger('Database');
  private identity: { dev: number; ino: number };
  /** While the descriptor is open, no other file gets the same inode number. */
  private openFile: { descriptor: number; users: number };
  private readonly reportedProblems = new Set<string>();

  constructor(readonly path: string) {}

  /** Call it each time SQLite opens the file. */
  open(): void {
    this.identity = statSync(this.path);
    this.openFile = descriptors.get(this.key) ?? { descriptor: openSync(this.path, 'r'), users: 0 };
    this.openFile.users++;
    descriptors.set(this.key, this.openFile);
  }

  /** @throws Error with SQLite's code if the opened file is no longer at its path; logs the problem once */
  requireInPlace(): void {
    if (!this.isInPlace()) throw Object.assign(new Error('The database file has moved.'), { code: 'SQLITE_READONLY_DBMOVED' });
  }

  /** Whether the file is in place and begins with SQLite's header. Each problem is logged once. */
  isIntact(): boolean {
    const start = Buffer.alloc(SQLITE_MAGIC.length);
    readSync(this.openFile.descriptor, start, 0, start.length, 0);
    const isDatabase = this.check(start.equals(SQLITE_MAGIC), 'has been overwritten and is no longer a database');
    return this.isInPlace() && isDatabase;
  }

  /** Call it once SQLite has closed the file. */
  close(): void {
    if (--this.openFile.users > 0) return;
    descriptors.delete(this.key);
    closeSync(this.openFile.descriptor);
  }

  private get key(): string {
    return `${this.identity.dev} ${this.identity.ino}`;
  }

  private isInPlace(): boolean {
    return this.check(this.isSameFile(), 'has been removed or replaced, so writes are refused');
  }

  private isSameFile(): boolean {
    try {
      const { dev, ino } = statSync(this.path);
      return dev === this.identity.dev && ino === this.identity.ino;
    } catch {
      return false; // the file is missing, or its folder can't be read
    }
  }

  private check(isOk: boolean, problem: string): boolean {
    if (!isOk && !this.reportedProblems.has(problem)) {
      const message = `The database file ${problem}. Stop the service, restore the file, and start it again.`;
      this.logger.error({ message, file: this.path });
    }
    if (isOk) this.reportedProblems.delete(problem);
    else this.reportedProblems.add(problem);
    return isOk;
  }
}
