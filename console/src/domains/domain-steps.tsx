import type { ComponentChildren } from 'preact';
import { CopyButton } from '../forms/copy-button';
import { CallerText } from '../language/caller-text';
import { t } from '../language/language';
import { Time } from '../language/times';
import type { LiveEvent } from '../live/live-feed';
import { isProvenByOperator, type Verification } from './domain-reads';

const TARGET_PROBLEMS: readonly string[] = ['target_missing', 'target_differs', 'dns_unreachable'];

interface DomainStepsProps {
  verification: Verification;
  /** The domain's `domain.verified` event, if the feed still has it. */
  verifiedEvent: LiveEvent | undefined;
}

/** The steps to make a domain live; each shows only what remains to be done. */
export function DomainSteps({ verification: { status, records, problems, checked, certificate }, verifiedEvent }: DomainStepsProps) {
  const [proof, target] = [records.filter(({ type }) => type === 'TXT'), records.filter(({ type }) => type !== 'TXT')];
  const isProven = status === 'verified';
  const isProofGone = problems.some(({ code }) => code.startsWith('txt_'));
  const isByOperator = isProvenByOperator(verifiedEvent);
  const isPointed = target.length > 0 && checked !== null && !problems.some(({ code }) => TARGET_PROBLEMS.includes(code));
  const problem = problems.find(({ code }) => code.startsWith('certificate_'));
  const steps = t.domains.steps;
  return (
    <section class="card">
      <h2>{steps.title}</h2>
      <ol class="steps">
        <Step title={steps.prove} isDone={isProven}>
          {isProven && verifiedEvent && (
            <p class="muted">
              {isByOperator ? steps.byOperator : steps.byRecord} <Time value={verifiedEvent.datetime} />
            </p>
          )}
          {isProven && !isByOperator && <p class="muted">{steps.proven}</p>}
          {(!isProven || isProofGone) && <Records records={proof} title={steps.prove} />}
        </Step>
        <Step title={steps.point} isDone={isPointed}>
          {target.length === 0 && <p class="notice">{t.domains.noTarget}</p>}
          {target.length > 0 && (isPointed ? <p class="muted">{steps.pointed}</p> : <Records records={target} title={steps.point} />)}
        </Step>
        <Step title={t.domains.certificate} isDone={certificate !== null && !problem}>
          {problem && <p>{steps.certificateProblem}</p>}
          {certificate && (
            <p class="muted">
              <CallerText text={certificate.issuer} /> · {t.domains.expires} <Time value={certificate.expires} isRelative />
            </p>
          )}
          {!problem && !certificate && <p class="muted">{isProven && isPointed ? steps.certificateNext : steps.certificateLater}</p>}
        </Step>
      </ol>
    </section>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: ComponentChildren }) {
  return (
    <li>
      <h3>
        {title} {isDone && <span class="badge badge-success">{t.domains.steps.done}</span>}
      </h3>
      {children}
    </li>
  );
}

function Records({ records, title }: { records: Verification['records']; title: string }) {
  return (
    <>
      <p class="muted">{t.domains.recordsText}</p>
      <table class="table" aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{t.domains.recordType}</th>
            <th scope="col">{t.domains.recordName}</th>
            <th scope="col">{t.domains.recordValue}</th>
          </tr>
        </thead>
        <tbody>
          {records.map(({ type, name, value }) => (
            <tr key={`${type} ${value}`}>
              <th scope="row" class="nowrap">
                {type}
              </th>
              <td data-label={t.domains.recordName}>
                <Copyable value={name} of={`${type} ${t.domains.recordName}`} />
              </td>
              <td data-label={t.domains.recordValue}>
                <Copyable value={value} of={`${type} ${t.domains.recordValue}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Copyable({ value, of }: { value: string; of: string }) {
  return (
    <div class="copyable">
      <code>{value}</code>
      <CopyButton value={value} of={of} />
    </div>
  );
}
