/** Words of questions that say nothing about a skill. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been being but by can could d did do does doing for from get gets getting give had
  has have having help helps helping here how i if in into is it its just let lets like ll looking m make makes me my need
  needs of on or our out please s should so some someone something t that the their them there these they thing things
  this those to up us ve want wants was way ways we were what when where which while who whose will with would you your`.split(
    /\s+/,
  ),
);

/** Words that say nothing before a stop word: "a skill that…", "tools for…". */
export const GENERIC: ReadonlySet<string> = new Set(['skill', 'skills', 'tool', 'tools', 'plugin', 'plugins']);
