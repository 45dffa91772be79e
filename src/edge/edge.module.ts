import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from '../platform/config/config';
import { DatabaseModule } from '../platform/database/database.module';
import { DomainChanges } from '../domains/domain-changes';
import type { Extensions } from '../platform/extensions/extensions';
import { CoreModule } from '../platform/core.module';
import { EdgeMetrics, EdgeServer } from './edge-server';
import { HostFeed } from './host-feed';
import { LiveHosts } from './live-hosts';

/** Root module of an edge process. In separate processes, the edge and the API don't block each other's event loop. */
@Module({
  imports: [DatabaseModule],
  providers: [DomainChanges, EdgeMetrics, EdgeServer, HostFeed, LiveHosts],
})
export class EdgeModule {
  static forRoot(config: Config, extensions: Extensions): DynamicModule {
    return { module: EdgeModule, imports: [CoreModule.forRoot(config, extensions)] };
  }
}
