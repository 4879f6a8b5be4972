# The documentation as a web site, by Sphinx: docs/build.sh runs it. Pages are docs/*.md; the C reference comes from
# include/libsgemm.h by Doxygen and Breathe, the Python reference from the docstrings of the installed package.
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = (ROOT / 'include/libsgemm.h').read_text()

project = 'libsgemm'
author = 'the libsgemm authors'
release = '.'.join(re.search(rf'LIBSGEMM_VERSION_{part} (\d+)', HEADER).group(1) for part in ('MAJOR', 'MINOR', 'PATCH'))
extensions = ['myst_parser', 'breathe', 'sphinx.ext.autodoc']
exclude_patterns = ['results', 'site']
myst_heading_anchors = 3
# Code blocks in languages that Pygments does not know are not highlighted.
suppress_warnings = ['misc.highlighting_failure']

breathe_projects = {'libsgemm': os.environ['LIBSGEMM_DOXYGEN']}
breathe_default_project = 'libsgemm'
c_id_attributes = ['LIBSGEMM_API']
autodoc_member_order = 'bysource'
autodoc_typehints = 'none'

html_theme = 'furo'
html_title = f'libsgemm {release}'
html_show_copyright = False


def outside(app, docname, source):
    """A link from a page to a source file is shown as the file's name: the site has no sources."""
    up = '../' * (1 + docname.count('/'))  # to the root of the repository
    source[0] = re.sub(r'\[([^\]]+)\]\(' + re.escape(up) + r'(?!docs/)[^)]*\)', r'\1', source[0])


def setup(app):
    app.connect('source-read', outside)
