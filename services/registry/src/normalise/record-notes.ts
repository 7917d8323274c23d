import type { Report } from '../skills/report.ts';

/** Notes about one record while its fields are read. */
export class RecordNotes {
  readonly report: Pick<Report, 'warn' | 'reject'>;
  /** See `RawRecord`. */
  readonly isPlain: boolean;
  isTextCut = false;
  isFieldUnusable = false;

  constructor(report: Pick<Report, 'warn' | 'reject'>, isPlain: boolean) {
    this.report = report;
    this.isPlain = isPlain;
  }

  /** Counts the record once per code. */
  close(): void {
    if (this.isTextCut) this.report.warn('text_cut');
    if (this.isFieldUnusable) this.report.warn('field_unusable');
  }
}
