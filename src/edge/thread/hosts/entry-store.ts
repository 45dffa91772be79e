/** An entry lies in one chunk. */
const CHUNK_BYTES = 1 << 20;
/** Entries begin at multiples of this. */
const UNIT_BYTES = 8;
const CHUNK_UNITS = CHUNK_BYTES / UNIT_BYTES;
/** Length of the key in one byte, of the value in two. */
const HEAD_BYTES = 3;
/** Emptied chunks that keep their memory. */
const MAX_SPARE = 4;
/** Share of the live bytes that may lie idle before a chunk is emptied, and what may in a small store. */
const [MAX_IDLE_SHARE, MIN_IDLE_UNITS] = [0.25, 2 * CHUNK_UNITS];
const NO_BYTES = Buffer.alloc(0);

interface Chunk {
  bytes: Buffer;
  /** In units: where the next entry goes, and the size of the entries that are not freed. */
  end: number;
  live: number;
}

/** Pairs of Latin-1 strings in a log of chunks. A pair is known by its position, which is at least `firstPosition`. */
export class EntryStore {
  private readonly chunks: Chunk[] = [];
  /** Emptied chunks, to be written again. */
  private readonly spare: number[] = [];
  private current = -1;
  private live = 0;

  constructor(private readonly firstPosition: number) {}

  /** The position of the new entry. Keys have at most 255 characters, values 65,535. */
  write(key: string, value: string): number {
    const units = Math.ceil((HEAD_BYTES + key.length + value.length) / UNIT_BYTES);
    const position = this.allocate(units);
    const { bytes } = this.chunkOf(position);
    const start = startOf(position);
    bytes[start] = key.length;
    bytes.writeUInt16LE(value.length, start + 1);
    bytes.write(key, start + HEAD_BYTES, 'latin1');
    bytes.write(value, start + HEAD_BYTES + key.length, 'latin1');
    return position;
  }

  hasKey(position: number, key: string): boolean {
    const { bytes } = this.chunkOf(position);
    const start = startOf(position);
    if (bytes[start] !== key.length) return false;
    for (let index = 0; index < key.length; index++) if (bytes[start + HEAD_BYTES + index] !== key.charCodeAt(index)) return false;
    return true;
  }

  keyAt(position: number): string {
    const { bytes } = this.chunkOf(position);
    const start = startOf(position) + HEAD_BYTES;
    return bytes.toString('latin1', start, start + bytes[start - HEAD_BYTES]);
  }

  valueAt(position: number): string {
    const { bytes } = this.chunkOf(position);
    const start = startOf(position);
    const valueStart = start + HEAD_BYTES + bytes[start];
    return bytes.toString('latin1', valueStart, valueStart + bytes.readUInt16LE(start + 1));
  }

  free(position: number): void {
    const units = this.unitsAt(position);
    this.chunkOf(position).live -= units;
    this.live -= units;
  }

  /**
   * While too much is idle, empties the chunk with the least live entries: `move` gets each position in it, live or freed, and
   * writes and frees what is live.
   */
  compact(move: (position: number) => void): void {
    while ((this.chunks.length - this.spare.length) * CHUNK_UNITS - this.live > this.live * MAX_IDLE_SHARE + MIN_IDLE_UNITS) {
      const emptied = this.findEmptiest();
      const chunk = this.chunks[emptied];
      const base = emptied * CHUNK_UNITS;
      for (let unit = this.beginOf(emptied), next; unit < chunk.end; unit = next) {
        next = unit + this.unitsAt(base + unit);
        move(base + unit);
      }
      if (this.spare.push(emptied) > MAX_SPARE) chunk.bytes = NO_BYTES;
    }
  }

  private allocate(units: number): number {
    if (this.current < 0 || this.chunks[this.current].end + units > CHUNK_UNITS) this.current = this.openChunk();
    const chunk = this.chunks[this.current];
    const position = this.current * CHUNK_UNITS + chunk.end;
    chunk.end += units;
    chunk.live += units;
    this.live += units;
    return position;
  }

  private openChunk(): number {
    const index = this.spare.pop() ?? this.chunks.push({ bytes: NO_BYTES, end: 0, live: 0 }) - 1;
    const chunk = this.chunks[index];
    if (chunk.bytes === NO_BYTES) chunk.bytes = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    chunk.end = this.beginOf(index);
    return index;
  }

  private findEmptiest(): number {
    let emptiest = -1;
    for (const [index, { live }] of this.chunks.entries()) {
      if (index === this.current || this.spare.includes(index)) continue;
      if (emptiest < 0 || live < this.chunks[emptiest].live) emptiest = index;
    }
    return emptiest;
  }

  private beginOf(chunk: number): number {
    return chunk === 0 ? this.firstPosition : 0;
  }

  private unitsAt(position: number): number {
    const { bytes } = this.chunkOf(position);
    const start = startOf(position);
    return Math.ceil((HEAD_BYTES + bytes[start] + bytes.readUInt16LE(start + 1)) / UNIT_BYTES);
  }

  private chunkOf(position: number): Chunk {
    return this.chunks[Math.floor(position / CHUNK_UNITS)];
  }
}

function startOf(position: number): number {
  return (position % CHUNK_UNITS) * UNIT_BYTES;
}
