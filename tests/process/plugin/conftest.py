"""Most inner sessions run in this process: that costs a tenth of what a fresh interpreter costs.

`runpytest_inprocess` forgets what an inner session has imported. What is imported here stays, and need not be imported again.
Only what a fresh interpreter shows and nothing else can is run with `runpytest_subprocess`.
"""

import aptix_conformance.plugin.session
import aptix_conformance.schemas.syrupy_extension  # noqa: F401 - see above
