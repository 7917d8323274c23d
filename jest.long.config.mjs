import config from './jest.config.mjs';

// `npm run test:long`: tests that are slow by nature, such as crash runs, model histories by the minute, scale and
// soak.
export default {
  ...config,
  testMatch: ['**/*.long.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
