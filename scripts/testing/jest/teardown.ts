import { owned } from '../own.ts';

/** @public Stops what the setup started. */
export default owned.endFile;
