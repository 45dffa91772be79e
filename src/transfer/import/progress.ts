const TERMINAL_MILLISECONDS = 100;
const LINE_MILLISECONDS = 5_000;
const BAR_WIDTH = 30;

/** Says on standard error how far a long work has come: by a bar on a terminal, elsewhere by a line now and then. */
export class Progress {
  private readonly start = Date.now();
  private last = Date.now();

  constructor(
    private readonly doing: string,
    private readonly output: NodeJS.WriteStream = process.stderr,
  ) {}

  /** `share` of the whole, from 0 to 1, where it is known. */
  tell(records: number, share?: number): void {
    const now = Date.now();
    if (now - this.last < (this.output.isTTY ? TERMINAL_MILLISECONDS : LINE_MILLISECONDS)) return;
    this.last = now;
    const text = this.text(records, share, (now - this.start) / 1_000);
    this.output.write(this.output.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  /** A line of its own, above the bar. */
  say(line: string): void {
    this.clear();
    this.output.write(`${line}\n`);
  }

  clear(): void {
    if (this.output.isTTY) this.output.write('\r\u001b[K');
  }

  private text(records: number, share: number | undefined, seconds: number): string {
    const rate = `${Math.round(records / seconds).toLocaleString('en')} a second`;
    const said = `${this.doing} ${records.toLocaleString('en')} records, ${rate}`;
    if (!share) return said;
    const left = `${Math.ceil((seconds * (1 - share)) / share)} s left`;
    const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
    return `${this.output.isTTY ? `${bar} ` : ''}${Math.floor(share * 100)} % ${said}, ${left}`;
  }
}
