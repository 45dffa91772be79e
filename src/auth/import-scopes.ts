import { Injectable } from '@nestjs/common';
import type { ScopeName } from './route-policies';

/**
 * The scopes required to see imports into collections whose records have no events of their own. Areas add theirs in the constructors of
 * their modules, since commands run no lifecycle hooks.
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

  /** In a fixed order, whichever area adds its own first. */
  get all(): ScopeName[] {
    return [...new Set(this.scopes.values())].sort().reverse();
  }
}
