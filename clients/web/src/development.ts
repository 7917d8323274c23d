/** Set by the build. */
declare const DEVELOPMENT: boolean;

/** Whether there is a page with all components. */
export const showsComponents = DEVELOPMENT;
