#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Reads OpenMetrics from standard input; an error says what is wrong with it."""
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

samples = sum(len(family.samples) for family in text_string_to_metric_families(sys.stdin.read()))
sys.exit(0 if samples > 100 else f"only {samples} samples")
