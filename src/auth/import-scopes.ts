import { Injectable } from '@nestjs/common';
import type { ScopeName } from './route-policies';

/**
 * The scopes required to see imports, by collection, where records have no events of their own. Modules register them in their
 * constructors, since commands run no lifecycle hooks.
 */
@Injectable()
export class ImportScopes {
  private readonly scopes = new Map<string, ScopeName>();

  add(scope: ScopeName, collections: Iterable<string>): void {
    for (const collection of collections) this.scopes.set(collection, scope);
  }

  of(collection: string): ScopeName | undefined {
    return this.scopes.get(collection);
  }

  /** Sorted, so that the order doesn't depend on which module registers first. */
  get all(): ScopeName[] {
    return [...new Set(this.scopes.values())].sort().reverse();
  }
}
