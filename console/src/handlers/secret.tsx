import { useState } from 'preact/hooks';
import { CopyButton } from '../forms/copy-button';
import { t } from '../language/language';
import { isMasked, mask } from './handler-types';

/** Hidden until the user reveals it, because others may see the screen. A key without `secrets:read` gets only the mask. */
export function Secret({ value, of }: { value: string; of: string }) {
  const [isShown, setShown] = useState(false);
  if (value === '') return <>{t.handlers.notSet}</>;
  if (isMasked(value)) return <code>{value}</code>;
  return (
    <div class="copyable">
      <code>{isShown ? value : mask(value)}</code>
      <div class="actions">
        <button
          type="button"
          class="button button-small"
          aria-label={isShown ? t.handlers.hideOf(of) : t.handlers.showOf(of)}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? t.handlers.hide : t.handlers.show}
        </button>
        {isShown && <CopyButton value={value} of={of} />}
      </div>
    </div>
  );
}
