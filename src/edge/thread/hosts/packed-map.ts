import { randomInt } from 'node:crypto';
import { EntryStore } from './entry-store';

const MAX_KEY = 255;
const MAX_VALUE = 65_535;
/** Slots that hold no position. */
const [EMPTY, DELETED] = [0, 1];
const MAX_LOAD = 0.7;
const SEED = randomInt(2 ** 32); // nobody can choose keys that collide

/**
 * A Map of Latin-1 strings outside of V8's heap, where no garbage collection visits them. A million hosts with two URLs take less
 * memory than in a Map of strings, and a lookup less than half of the time (bench/HISTORY.md).
 */
export class PackedMap {
  size = 0;
  /** A hash table with linear probing: a key's hash, so that growing reads no entry, and the entry's position in units. */
  private hashes = new Uint32Array(1_024);
  private slots = new Uint32Array(1_024);
  private usedSlots = 0;
  private readonly entries = new EntryStore(DELETED + 1);

  get(key: string): string | undefined {
    const position = this.slots[this.find(key)];
    return position === EMPTY ? undefined : this.entries.valueAt(position);
  }

  /** @throws RangeError for a key of more than 255 characters, or a value of more than 65,535 */
  set(key: string, value: string): void {
    if (key.length > MAX_KEY || value.length > MAX_VALUE) throw new RangeError('The entry is too long.');
    const known = this.find(key);
    if (this.slots[known] !== EMPTY) this.replace(known, key, value);
    else this.add(key, value);
    this.compact();
  }

  delete(key: string): void {
    const slot = this.find(key);
    const position = this.slots[slot];
    if (position === EMPTY) return;
    this.entries.free(position);
    this.slots[slot] = DELETED;
    this.size--;
    this.compact();
  }

  private add(key: string, value: string): void {
    if (this.usedSlots >= this.slots.length * MAX_LOAD) this.rehash();
    const slot = this.find(key);
    this.slots[slot] = this.entries.write(key, value);
    this.hashes[slot] = this.hash(key);
    this.usedSlots++;
    this.size++;
  }

  private replace(slot: number, key: string, value: string): void {
    this.entries.free(this.slots[slot]);
    this.slots[slot] = this.entries.write(key, value);
  }

  private compact(): void {
    this.entries.compact((position) => {
      const key = this.entries.keyAt(position);
      const slot = this.find(key);
      if (this.slots[slot] === position) this.replace(slot, key, this.entries.valueAt(position));
    });
  }

  /** The slot of the key, or an empty one where it would be. */
  private find(key: string): number {
    const mask = this.slots.length - 1;
    const bits = this.hash(key);
    let slot = bits & mask;
    while (this.slots[slot] !== EMPTY && !(this.hashes[slot] === bits && this.isAt(this.slots[slot], key))) slot = (slot + 1) & mask;
    return slot;
  }

  /** FNV-1a, and a step of murmur3's end, which mixes the low bits. */
  private hash(key: string): number {
    let bits = SEED;
    for (let index = 0; index < key.length; index++) bits = Math.imul(bits ^ key.charCodeAt(index), 0x0100_0193);
    bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
    return (bits ^ (bits >>> 13)) >>> 0;
  }

  private isAt(position: number, key: string): boolean {
    return position !== DELETED && this.entries.hasKey(position, key);
  }

  private rehash(): void {
    const { slots, hashes } = this;
    const length = this.size > (slots.length * MAX_LOAD) / 2 ? slots.length * 2 : slots.length; // or only without the deleted
    this.slots = new Uint32Array(length);
    this.hashes = new Uint32Array(length);
    this.usedSlots = this.size;
    for (const [old, position] of slots.entries()) {
      if (position === EMPTY || position === DELETED) continue;
      let slot = hashes[old] & (length - 1);
      while (this.slots[slot] !== EMPTY) slot = (slot + 1) & (length - 1);
      this.slots[slot] = position;
      this.hashes[slot] = hashes[old];
    }
  }
}
