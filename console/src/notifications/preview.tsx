import { t, visible } from '../language/language';
import { formatNumber } from '../language/times';
import { appearanceOf, type Notification } from './appearance';

/** A visitor's window, with the notification where it would appear. */
export function Preview({ notification }: { notification: Notification }) {
  const { title, text, code, position, duration } = appearanceOf(notification);
  return (
    <figure class="preview">
      <div class="preview-window">
        <div class="preview-bar" aria-hidden="true" />
        <div class={`preview-page preview-${position}`}>
          <div class="preview-toast">
            <strong>{visible(title)}</strong>
            {text !== '' && <span>{visible(text)}</span>}
            {code !== '' && <code>{visible(code)}</code>}
          </div>
        </div>
      </div>
      <figcaption class="muted">
        {t.notifications.shownAt(t.notifications.positions[position])}{' '}
        {duration === undefined ? t.notifications.untilClosed : t.notifications.shownFor(duration, formatNumber(duration))}
      </figcaption>
    </figure>
  );
}
