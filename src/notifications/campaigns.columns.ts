import { NOW, type RecordColumns } from '../common/record-columns';
import { text, TIME, YES_OR_NO } from '../common/field-types';

/** Columns of a campaign file. No route serves campaigns. */
export const CAMPAIGN_COLUMNS: RecordColumns = {
  name: 'campaigns',
  id: { name: 'campaign_id', column: 'id' },
  fields: ['campaign_id', 'name', 'is_enabled', 'datetime'],
  columns: [
    { name: 'name', type: text(128, 'Spring') },
    { name: 'is_enabled', type: YES_OR_NO, json: 'boolean', fallback: 1 },
    { name: 'datetime', type: TIME, fallback: NOW },
  ],
};
