import { CopyButton } from '../forms/copy-button';
import { t } from '../language/language';
import { Page } from '../shell/page';

const COMMANDS = {
  create: 'npm run frontdesk -- keys create --account demo --name console',
  limited: 'npm run frontdesk -- keys create --account demo --name viewer --scopes domains:read,messages:read,events:read --expires 90d',
  list: 'npm run frontdesk -- keys list --account demo',
  revoke: 'npm run frontdesk -- keys revoke <number>',
};

export default function KeysPage() {
  return (
    <Page title={t.pages.keys}>
      <p class="lead">{t.keys.intro}</p>
      <Command title={t.keys.create} text={t.keys.createText} command={COMMANDS.create} />
      <Command title={t.keys.limited} command={COMMANDS.limited} />
      <Command title={t.keys.list} command={COMMANDS.list} />
      <Command title={t.keys.revoke} text={t.keys.revokeText} command={COMMANDS.revoke} />
    </Page>
  );
}

function Command({ title, text, command }: { title: string; text?: string; command: string }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {text && <p class="muted">{text}</p>}
      <div class="copyable">
        <code>{command}</code>
        <CopyButton value={command} of={title} />
      </div>
    </section>
  );
}
