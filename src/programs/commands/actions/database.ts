import { RestoredBackup } from '../../../deliveries/restored-backup';
import { OperatorEvents } from '../../../events/operator-events';
import { KeyRotation } from '../../../platform/secrets/key-rotation';
import type { JsonOption } from '../arguments';
import { countOf, printJson, printNotice } from './output';
import { withServices } from './with-services';

export const restored = withServices(async (app, { json }: JsonOption) => {
  await app.get(KeyRotation).checkKeys();
  const { part, releasedCount } = await app.get(RestoredBackup).prepare();
  await app.get(OperatorEvents).reset();
  if (json) printJson({ part, given_back: releasedCount });
  printNotice(
    `New deliveries have ids msg_${part}_<id>. ${countOf(releasedCount, 'delivery', 'deliveries')} in progress when the backup was taken will be attempted again. All cursors of the feed have expired. Readers must begin again, with after=oldest or after=latest.`,
  );
});

export const rotateSecrets = withServices(async (app) => {
  const counts = await app.get(KeyRotation).rotate();
  printNotice(`Re-encrypted ${countOf(counts.get('notification_handlers') ?? 0, 'notification handler')}; all now use the newest key.`);
});
