import { Module } from '@nestjs/common';
import { DomainsModule } from '../domains/domains.module';
import { ObservabilityModule } from '../observability/observability.module';
import { Edge } from './edge';
import { EdgeMetrics } from './edge-metrics';
import { HostFeed } from './host-feed';

@Module({
  imports: [DomainsModule, ObservabilityModule],
  providers: [Edge, EdgeMetrics, HostFeed],
  exports: [Edge],
})
export class EdgeModule {}
