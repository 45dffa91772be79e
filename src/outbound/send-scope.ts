import { OutboundError, type OutboundFailure, type SendOptions } from './outbound-request';

/** One send, which ends at its deadline or, until its first byte is written, when it is given back. */
export class SendScope {
  isWritten = false;
  private failure?: OutboundError;
  private rejectEnded: (error: OutboundError) => void;
  private readonly ended = new Promise<never>((_, reject) => (this.rejectEnded = reject));
  private controller?: AbortController;
  private readonly endsAt: number;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: SendOptions) {
    this.ended.catch(() => undefined);
    this.endsAt = performance.now() + options.deadlineMs;
    this.timer = setTimeout(() => this.end('timeout'), options.deadlineMs);
    options.giveBack.addEventListener('abort', this.giveBack);
    if (options.giveBack.aborted) this.giveBack();
  }

  /** Aborted with the OutboundError that ends the attempt. Made when asked for: most requests to an address need none. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.failure) this.controller.abort(this.failure);
    return this.controller.signal;
  }

  /** @throws OutboundError when the attempt has ended */
  throwIfEnded(): void {
    if (this.failure) throw this.failure;
  }

  get remainingMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  error(failure: OutboundFailure, systemCode?: string): OutboundError {
    return new OutboundError(failure, this.isWritten, systemCode);
  }

  /** The result of the work, unless the attempt ends first. @throws OutboundError */
  async untilEnd<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.ended, work]);
  }

  /** Asks right before the first byte of the request; if it must not be written, the attempt ends. */
  startWriting(): boolean {
    if (!this.failure && !this.options.mayWrite()) this.giveBack();
    this.isWritten = !this.failure;
    return this.isWritten;
  }

  /** Releases the timer and the listener. */
  close(): void {
    clearTimeout(this.timer);
    this.options.giveBack.removeEventListener('abort', this.giveBack);
  }

  private readonly giveBack = (): void => {
    if (!this.isWritten) this.end('given_back');
  };

  private end(failure: OutboundFailure): void {
    if (this.failure) return;
    this.failure = this.error(failure);
    this.rejectEnded(this.failure);
    this.controller?.abort(this.failure);
  }
}
