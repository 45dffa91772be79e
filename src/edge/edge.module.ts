import { type DynamicModule, Module } from '@nestjs/common';
import { CommonModule } from '../common/common.module';
import type { Config } from '../config/config';
import { ConfigModule } from '../config/config.module';
import { DatabaseModule } from '../database/database.module';
import { ChangesModule } from '../domains/changes/changes.module';
import { EdgeMetrics } from './edge-metrics';
import { EdgeServer } from './edge-server';
import { HostFeed } from './host-feed';
import { LiveHosts } from './live-hosts';

/** Root module of an edge process: load on it delays the interface's event loop as little as the other way around. */
@Module({
  imports: [CommonModule, DatabaseModule, ChangesModule],
  providers: [EdgeMetrics, EdgeServer, HostFeed, LiveHosts],
})
export class EdgeModule {
  static with(config: Config): DynamicModule {
    return { module: EdgeModule, imports: [ConfigModule.with(config)] };
  }
}
