export interface JobOptions {
  /** Unique in the service, up to 64 characters. Keep it when you rename the method: the database stores the schedule under it. */
  name: string;
  /** Time from one start to the next. */
  everyMs: number;
  /** Whether the job also runs when a process starts. */
  atStart?: boolean;
}

/** Must throw when the signal aborts: a job that returns counts as done. */
export type JobMethod = (signal: AbortSignal) => Promise<unknown>;

const JOB_OPTIONS = Symbol('job');

/** Runs a provider's method periodically, in one process at a time among those that share the database. */
export function Job(options: JobOptions) {
  return <M extends JobMethod>(_target: object, _name: string, { value }: TypedPropertyDescriptor<M>): void => {
    Reflect.defineMetadata(JOB_OPTIONS, options, value!);
  };
}

export function jobOptionsOf(method: unknown): JobOptions | undefined {
  return typeof method === 'function' ? (Reflect.getMetadata(JOB_OPTIONS, method) as JobOptions | undefined) : undefined;
}
