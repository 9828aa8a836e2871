# SPDX-License-Identifier: GPL-2.0
# Sphinx 5.3, Debian 12. Needs nothing from the network.
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, 'sphinx'))

with open(os.path.join(here, '..', 'dkms.conf'), encoding='utf-8') as f:
    release = re.search(r'^PACKAGE_VERSION="(.*)"', f.read(), re.M).group(1)
project = 'rmc'
copyright = 'the authors of rmc'
extensions = ['rmcdoc']
exclude_patterns = ['sphinx', 'netlink/specs']
# a reference to what does not exist is an error; what the kernel documents is not ours to resolve
nitpicky = False
primary_domain = 'c'
highlight_language = 'none'
c_id_attributes = ['__init', '__exit', '__user']
html_theme = 'alabaster'
html_theme_options = {
    'description': 'RDMA managed connections',
    'page_width': '1200px',
    'sidebar_width': '240px',
}
html_sidebars = {'**': ['about.html', 'navigation.html', 'searchbox.html']}
html_show_sourcelink = False
