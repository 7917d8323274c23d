import { specifyPythonClient } from './python-client/specify-python-client.ts';

await specifyPythonClient({ slow: false });
